import type { Command } from "commander";
import { type AuthoredFile, writeAuthoredFile } from "#lib/replay/cassettes/author/index";
import { shortPath } from "../cassette-files";
import type { CommandIo } from "../io";

function describe({ id, path, byteSize, chunkCount, durationMs }: AuthoredFile): string {
  const size = `${(byteSize / 1000).toFixed(1)} kB`;
  return `${id}: ${chunkCount} chunks, ${(durationMs / 1000).toFixed(1)} s, ${size}, written to ${shortPath(path)}\n`;
}

/** Adds `tapedeck cassettes author`. An invalid script does not stop the others from being built. */
export function addAuthorCommand(cassettes: Command, io: CommandIo): void {
  const author = cassettes
    .command("author")
    .description("build authored cassettes from their YAML scripts, deterministically")
    .argument("<script.yaml...>", "scripts at <vertical>/<slug>.yaml")
    .option("--out <dir>", "folder for <vertical>/<slug>.json (default: beside each script)")
    .action(async (scripts: string[], options: { out?: string }) => {
      const failures: string[] = [];
      for (const script of scripts) {
        try {
          io.stdout.write(describe(await writeAuthoredFile(script, options.out)));
        } catch (error) {
          failures.push(`${script}: ${(error as Error).message}`);
        }
      }
      if (failures.length > 0) author.error(failures.join("\n"), { exitCode: 1 });
    });
}
