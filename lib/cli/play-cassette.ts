import { readRecordedAnswer, toRecording, type VerifiedCassette } from "#lib/replay/cassettes/index";
import { openRecording, pacer, speedSchema } from "#lib/replay/playback/index";
import { EventReader, framingOf, requireProvider } from "#lib/replay/providers/index";
import { CommandFailure, misused } from "./failure";
import type { CommandIo } from "./io";
import { TerminalMessage } from "./terminal-message";

function parseSpeed(text: string): number {
  const result = speedSchema.safeParse(text);
  if (result.success) return result.data;
  throw new CommandFailure(`--speed ${result.error.issues[0]?.message}.`, misused);
}

/** Returns what writes the bytes of a cassette to a terminal as people read them, and what ends the output. */
function readableOutput({ cassette, chunks }: VerifiedCassette, io: CommandIo) {
  const provider = requireProvider(cassette.provider);
  const { headers } = cassette.response;
  const { answer, error } = readRecordedAnswer(provider, { headers, chunks });
  const message = new TerminalMessage(io.stdout);
  const framing = framingOf(headers["content-type"]);
  const reader = new EventReader(framing, ({ json }) => {
    for (const delta of json ? provider.readDeltas(json) : []) message.delta(delta);
  });
  return {
    write: (bytes: Uint8Array) => {
      if (framing !== "json") reader.feed(bytes);
    },
    end: () => {
      if (framing !== "json") reader.end();
      else if (error) message.delta({ kind: "error", text: JSON.stringify(error) });
      else message.parts(answer?.parts ?? []);
      message.end(answer?.stopReason);
    },
  };
}

type PlayOptions = { speed: string; raw?: boolean | undefined };

/** Plays a cassette in the terminal with its timing. Throws CommandFailure for a speed that is not valid. */
export async function playCassette(
  verified: VerifiedCassette,
  { speed, raw }: PlayOptions,
  io: CommandIo,
): Promise<void> {
  const { schedule } = openRecording(toRecording(verified), parseSpeed(speed));
  const output = raw
    ? { write: (bytes: Uint8Array) => io.stdout.write(bytes), end: () => undefined }
    : readableOutput(verified, io);
  const isTruncated = await new Promise<boolean>((settle) => {
    pacer().play(schedule, {
      write: (bytes) => {
        output.write(bytes);
        return true;
      },
      end: () => settle(false),
      cut: () => settle(true),
    });
  });
  output.end();
  if (isTruncated) io.stderr.write("The cassette is truncated: its stream breaks off here.\n");
}
