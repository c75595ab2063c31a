import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./serve";

/** A reply of Redis; an Error for an error reply. */
export type RedisReply = string | number | null | Error | RedisReply[];

type Parsed = { reply: RedisReply; next: number };

function lineAt(buffer: Buffer, start: number): { text: string; next: number } | undefined {
  const end = buffer.indexOf("\r\n", start);
  return end < 0 ? undefined : { text: buffer.toString("utf8", start, end), next: end + 2 };
}

function parseItems(buffer: Buffer, count: number, start: number): Parsed | undefined {
  const items: RedisReply[] = [];
  let next = start;
  while (items.length < count) {
    const item = parseReply(buffer, next);
    if (!item) return undefined;
    items.push(item.reply);
    next = item.next;
  }
  return { reply: items, next };
}

/** Parses one reply of the protocol (RESP 2); undefined if it is incomplete. */
function parseReply(buffer: Buffer, start: number): Parsed | undefined {
  const line = lineAt(buffer, start);
  if (!line) return undefined;
  const { text, next } = line;
  const rest = text.slice(1);
  if (text[0] === "+") return { reply: rest, next };
  if (text[0] === "-") return { reply: new Error(rest), next };
  if (text[0] === ":") return { reply: Number(rest), next };
  const size = Number(rest);
  if (size < 0) return { reply: null, next };
  if (text[0] === "*") return parseItems(buffer, size, next);
  if (buffer.length < next + size + 2) return undefined;
  return { reply: buffer.toString("utf8", next, next + size), next: next + size + 2 };
}

/** A connection; replies arrive in the order of the commands. */
export class RedisConnection {
  #received = Buffer.alloc(0);
  readonly #waiting: ((reply: RedisReply) => void)[] = [];

  private constructor(private readonly socket: Socket) {
    socket.on("data", (chunk) => {
      this.#received = Buffer.concat([this.#received, chunk]);
      this.#settle();
    });
    const fail = () => {
      for (const settle of this.#waiting.splice(0)) settle(new Error("The connection to Redis was closed."));
    };
    socket.on("error", fail).on("close", fail);
  }

  static async open(port: number): Promise<RedisConnection> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    return new RedisConnection(socket);
  }

  send(command: readonly (string | number)[]): Promise<RedisReply> {
    const args = command.map(String);
    const parts = args.map((arg) => `$${Buffer.byteLength(arg)}\r\n${arg}\r\n`);
    return new Promise((settle) => {
      this.#waiting.push(settle);
      this.socket.write(`*${args.length}\r\n${parts.join("")}`);
    });
  }

  close(): void {
    this.socket.destroy();
  }

  #settle(): void {
    for (let parsed = parseReply(this.#received, 0); parsed; parsed = parseReply(this.#received, 0)) {
      this.#received = this.#received.subarray(parsed.next);
      this.#waiting.shift()?.(parsed.reply);
    }
  }
}

export type RedisServer = { port: number; stop(): Promise<void> };

/** Starts a real Redis (Debian's `redis-server`) without persistence. */
export async function startRedis(): Promise<RedisServer> {
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-redis-"));
  const args = ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder];
  const child = spawn("redis-server", args, { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  const ready = new Promise<void>((settle, reject) => {
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`Redis exited:\n${output}`)));
    child.stdout.on("data", (chunk) => {
      output += chunk;
      if (output.includes("Ready to accept connections")) settle();
    });
  });
  const stop = async () => {
    const isRunning = child.exitCode === null && child.signalCode === null;
    if (isRunning) {
      child.kill("SIGTERM");
      await once(child, "exit");
    }
    rmSync(folder, { recursive: true, force: true });
  };
  await ready;
  return { port, stop };
}
