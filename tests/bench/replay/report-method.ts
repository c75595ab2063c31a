import { burst } from "./plan";

/** Returns the section about the method, and how to repeat the benchmark. */
export function methodText(highestLoadShare: number): string {
  return `## Method

- **Error.** The client records when the last byte of each recorded chunk arrived. Its schedule starts at its own first
  chunk: chunk *n* is due at the arrival of the first chunk plus the sum of the recorded delays since. The error is the
  difference from that time, early or late, so accumulated delays are visible. Chunks that arrive together count at the
  moment of their arrival.
- **First chunk** is the delay of the first chunk compared with the recording, counted from the request: the connection and
  the start of the stream. A server that starts streams late but paces them well has a small error and a late first chunk.
  **From request** is the error on a schedule that starts with the request, so it includes both.
- **Drift** is the difference of the last chunk from the schedule, as the median over the streams.
- **CPU** is the server's user and system time with all threads and child processes, from the first connection to the end of
  the last stream, divided by the number of chunks that arrived; it includes the start of the streams. At one and at 50
  clients a server mostly wakes up and sleeps again, and each wake-up counts fully.
- **Memory** is the peak resident memory during the run, of a process that has served all runs before.
- **Identical** means that the SHA-256 of the body, without its HTTP framing, equals the recording's.
- **In phase**: all connections are opened first, then all clients send their request at the same moment, so all chunks are
  due at the same time.
- **Burst**: ${burst.runningClientCount} streams run; the table shows their error in the second in which ${burst.newClientCount} others start.
- **aimock** keeps the text and the delays but writes its own events. Its fixture has the exact delays and a piece size that
  produces as many events as the recording has; each event counts as the chunk with the same number.
- If a server is missing from the last rows of a table, it was already far over its capacity at a smaller number.
- All servers run on the same machine as the single load generator, each in its own process, on 127.0.0.1. They are warmed up
  together and then measured one at a time, in turn. The load generator used at most ${Math.round(highestLoadShare * 100)} % of a core; on two cores the
  server has the other one.

## Run it again

\`\`\`sh
npm run build
npm run bench -- replay
\`\`\`

\`--quick\` takes a minute, \`--servers bare,tapedeck\` selects servers, \`--help\` lists all options. The raw numbers are in
\`.tapedeck/bench/replay.json\`.
`;
}
