import type { Command } from "commander";
import { toRecording } from "#lib/replay/cassettes/index";
import { openRecording, pacer, speedSchema } from "#lib/replay/playback/index";
import { CommandFailure, misused } from "../failure";
import { readCassetteArgument } from "../read-cassette-file";
import { TerminalMessage } from "../terminal-message";

type Options = { speed: string; raw?: boolean };

function parseSpeed(text: string): number {
  const result = speedSchema.safeParse(text);
  if (result.success) return result.data;
  throw new CommandFailure(`--speed ${result.error.issues[0]?.message}.`, misused);
}

export function addPlayCommand(cassettes: Command): void {
  cassettes
    .command("play")
    .description("play a cassette in the terminal with its recorded timing")
    .argument("<cassette>", "a file or <vertical>/<slug>")
    .option("--speed <factor>", "0.1 to 100, or max", "1")
    .option("--raw", "write the recorded bytes as they are")
    .action(async (argument: string, { speed, raw }: Options) => {
      const factor = parseSpeed(speed);
      const { schedule } = openRecording(toRecording(await readCassetteArgument(argument)), factor);
      const terminal = new TerminalMessage(process.stdout);
      const wasCut = await new Promise<boolean>((settle) => {
        pacer().play(schedule, {
          write: (bytes) => {
            if (raw) process.stdout.write(bytes);
            else terminal.feed(bytes);
            return true;
          },
          end: () => settle(false),
          cut: () => settle(true),
        });
      });
      if (!raw) terminal.end();
      if (wasCut) process.stderr.write("The recording breaks off here.\n");
    });
}
