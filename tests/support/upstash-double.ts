import type { IncomingMessage, ServerResponse } from "node:http";
import { LoopbackServer, readBody, sendJson } from "./loopback-server";
import { RedisConnection, type RedisReply } from "./redis";

export const upstashToken = "test-token-of-upstash";

/** Behaviour of the double: normal, responding with 503, closing the connection, or never responding. */
export type UpstashMode = "fine" | "down" | "cut" | "slow";

type Command = (string | number)[];

function encoded(reply: RedisReply, isBase64: boolean): unknown {
  if (Array.isArray(reply)) return reply.map((item) => encoded(item, isBase64));
  return isBase64 && typeof reply === "string" ? Buffer.from(reply).toString("base64") : reply;
}

function bodyOf(reply: RedisReply, isBase64: boolean) {
  return reply instanceof Error ? { error: reply.message } : { result: encoded(reply, isBase64) };
}

/**
 * A double of Upstash's REST API, as used by @upstash/redis, in front of a real Redis: single commands, `/pipeline` and
 * `/multi-exec`, with base64 results on request.
 */
export class UpstashDouble extends LoopbackServer {
  mode: UpstashMode = "fine";
  /** Number of received requests. */
  requestCount = 0;

  private constructor(private readonly redisPort: number) {
    super();
  }

  static start(redisPort: number): Promise<UpstashDouble> {
    return new UpstashDouble(redisPort).start();
  }

  /** Environment variables for the app. */
  get environment(): Record<string, string> {
    return { UPSTASH_REDIS_REST_URL: this.origin, UPSTASH_REDIS_REST_TOKEN: upstashToken };
  }

  protected async handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const bytes = await readBody(request);
    this.requestCount += 1;
    if (this.mode === "cut") return void request.socket.destroy();
    if (this.mode === "slow") return;
    if (this.mode === "down") return sendJson(response, 503, { error: "ERR the service is not available" });
    if (request.headers.authorization !== `Bearer ${upstashToken}`) {
      return sendJson(response, 401, { error: "WRONGPASS invalid or missing auth token" });
    }
    const body = JSON.parse(String(bytes)) as Command | Command[];
    const isBase64 = request.headers["upstash-encoding"] === "base64";
    const redis = await RedisConnection.open(this.redisPort);
    try {
      if (request.url === "/multi-exec") await this.#exec(redis, body as Command[], response, isBase64);
      else if (request.url === "/pipeline") {
        const replies = await Promise.all((body as Command[]).map((command) => redis.send(command)));
        sendJson(
          response,
          200,
          replies.map((reply) => bodyOf(reply, isBase64)),
        );
      } else {
        const reply = await redis.send(body as Command);
        sendJson(response, reply instanceof Error ? 400 : 200, bodyOf(reply, isBase64));
      }
    } finally {
      redis.close();
    }
  }

  async #exec(redis: RedisConnection, body: Command[], response: ServerResponse, isBase64: boolean): Promise<void> {
    const queued = [redis.send(["MULTI"]), ...body.map((command) => redis.send(command))];
    const replies = await redis.send(["EXEC"]);
    await Promise.all(queued);
    if (replies instanceof Error) return sendJson(response, 400, { error: replies.message });
    sendJson(
      response,
      200,
      (replies as RedisReply[]).map((reply) => bodyOf(reply, isBase64)),
    );
  }
}
