import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { freePort } from "./serve";

export type PgBouncer = { url: string; stop(): Promise<void> };

/** Starts PgBouncer (Debian's package) in transaction mode in front of the server of a database. */
export async function startPgBouncer(databaseUrl: string): Promise<PgBouncer> {
  const { hostname, port: databasePort, username, password, pathname } = new URL(databaseUrl);
  const port = await freePort();
  const folder = mkdtempSync(join(tmpdir(), "tapedeck-pgbouncer-"));
  const target = `host=${hostname} port=${databasePort} user=${username} password=${decodeURIComponent(password)}`;
  const settings = [
    ...["[databases]", `* = ${target}`, "[pgbouncer]", "listen_addr = 127.0.0.1", `listen_port = ${port}`],
    ...["auth_type = any", "pool_mode = transaction", "default_pool_size = 10", "max_client_conn = 200"],
    "unix_socket_dir =",
  ];
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(file, `${settings.join("\n")}\n`);
  // It refuses to run as root.
  chmodSync(folder, 0o755);
  const user = process.getuid?.() === 0 ? ["-u", "nobody"] : [];
  const child = spawn("pgbouncer", [...user, file], { stdio: ["ignore", "pipe", "pipe"] });
  let output = "";
  await new Promise<void>((settle, reject) => {
    child.once("error", reject);
    child.once("exit", () => reject(new Error(`PgBouncer exited:\n${output}`)));
    child.stderr.on("data", (chunk) => {
      output += chunk;
      if (output.includes("process up")) settle();
    });
  });
  return {
    url: `postgresql://${username}@127.0.0.1:${port}${pathname}`,
    stop: async () => {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGINT");
        await once(child, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
