import { burst } from "./plan";

/** How the numbers came about, and how to get them again. */
export function methodText(highestLoadShare: number): string {
  return `## How it is measured

- **Error.** A client notes when the last byte of each recorded chunk arrived. Its schedule starts at its own first
  chunk: the n-th chunk is due when the first one arrived plus the recorded delays between them, added up. The error
  is the distance from that, early or late, so lateness that adds up shows. Chunks that arrive together count at
  the moment they arrive.
- **First chunk** is how much later than recorded the first chunk came after the request was sent: the connection
  and the start-up of the stream. A server that starts streams late but paces them well has a small error and a late
  first chunk; **from request** is the error on a schedule that starts when the request was sent, so it has both.
- **Drift** is the last chunk's distance from the schedule, the median over the streams.
- **CPU** is the server's user and system time with all its threads and child processes, from the first connection
  to the last stream's end, over the chunks that arrived; the start-up of the streams is in it. At one and at 50
  clients a server mostly wakes up and sleeps again, and each wake-up counts fully.
- **Memory** is the highest resident memory during the run, of a process that has served all runs before.
- **Identical** means that the SHA-256 of the body, without its HTTP framing, is the recording's.
- **In phase**: all connections are opened first, then all clients ask in one instant, so all chunks are due at once.
- **Burst**: ${burst.runningClientCount} streams run; the table shows their error in the second in which ${burst.newClientCount} others start.
- **aimock** keeps the text and the delays but writes its own events; its fixture has the exact delays and a piece
  size that gives as many events as the recording has, and each event counts as the chunk of the same number.
- A server that is missing from a table's last rows was saturated many times over well below that number.
- All servers stand on the same machine as the one load generator, each in a process of its own, on 127.0.0.1. They
  are warmed up together, then measured one at a time, in turn. The load generator took ${Math.round(highestLoadShare * 100)} % of
  a core at most; on two cores the server has the other one.

## Run it again

\`\`\`sh
npm run build
npm run bench -- replay
\`\`\`

\`--quick\` takes a minute, \`--servers bare,tapedeck\` chooses, \`--help\` tells the rest. The raw numbers are in
\`.tapedeck/bench/replay.json\`.
`;
}
