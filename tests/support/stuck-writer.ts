/** Starts an atomic write, stops halfway, prints "halfway" and never exits. Tests kill it. */
import { open } from "node:fs/promises";
import { writeFileAtomically } from "#lib/replay/cassettes/write-file";

const path = process.argv[2] as string;
const content = Buffer.alloc(100_000, "x");

type Open = typeof open;
const halfway = (async (...parameters: Parameters<Open>) => {
  const file = await open(...parameters);
  file.writeFile = async () => {
    await file.write(content, 0, content.length / 2);
    process.stdout.write("halfway\n");
    // A timer keeps the process alive; the promise never settles.
    setInterval(() => undefined, 1_000);
    await new Promise(() => undefined);
  };
  return file;
}) as Open;

const { link, rename } = await import("node:fs/promises");
await writeFileAtomically(path, content, { replace: true, fileSystem: { open: halfway, link, rename } });
