import type { Command } from "commander";
import { readCassetteArgument } from "../cassette-files";
import type { CommandIo } from "../io";
import { playCassette } from "../play-cassette";

export function addPlayCommand(cassettes: Command, io: CommandIo): void {
  cassettes
    .command("play")
    .description("play a cassette in the terminal with its timing")
    .argument("<cassette>", "a file or <folder>/<slug>")
    .option("--speed <factor>", "0.1 to 100, or max", "1")
    .option("--raw", "write the bytes of the body unchanged")
    .action(async (argument: string, options: { speed: string; raw?: boolean }) => {
      await playCassette(await readCassetteArgument(argument), options, io);
    });
}
