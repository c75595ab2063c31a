import { styleText } from "node:util";

type Entry = Record<string, unknown> & { level: number; time: number; msg: string };

/** Members that are for programs, or have a place of their own in a line. */
const ownMembers = new Set(["level", "time", "msg", "err", "requestId", "runId"]);

const [warnLevel, errorLevel] = [40, 50];

type Color = Parameters<typeof styleText>[0];

function statusColor(status: unknown): Color {
  return Number(status) >= 500 ? "red" : Number(status) >= 400 ? "yellow" : "green";
}

/** Returns what an entry of the log says, in one line and the stack of its error; null for a health check that went well. */
function describe(entry: Entry, paint: (color: Color, text: string) => string): string | null {
  const { level, msg, method, path, status, ms, err } = entry;
  if (msg === "request") {
    if (path === "/api/v1/health" && status === 200) return null;
    return `${method} ${path} ${paint(statusColor(status), String(status))} ${paint("dim", `${ms} ms`)}`;
  }
  const members = Object.entries(entry).filter(([name, value]) => !ownMembers.has(name) && value !== 0);
  const details = members.map(([name, value]) => ` ${name}=${JSON.stringify(value)}`).join("");
  const said = level >= errorLevel ? paint("red", msg) : level >= warnLevel ? paint("yellow", msg) : msg;
  const { stack } = (err ?? {}) as { stack?: string };
  return `${said}${paint("dim", details)}${stack ? `\n${stack}` : ""}`;
}

/** Returns a line of the log as people read it in a terminal; empty for what only programs need. */
export function logText(line: string, { hasColor }: { hasColor: boolean }): string {
  const entry = JSON.parse(line) as Entry;
  const paint = (color: Color, text: string) =>
    hasColor && text !== "" ? styleText(color, text, { validateStream: false }) : text;
  const text = describe(entry, paint);
  if (text === null) return "";
  const time = new Date(entry.time).toTimeString().slice(0, 8);
  return `${paint("dim", time)} ${text}\n`;
}
