import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

/** Writes a self-signed certificate for 127.0.0.1 into a folder, and returns it with its key. */
export function selfSigned(folder: string): { cert: Buffer; key: Buffer; certPath: string } {
  const [certPath, keyPath] = [join(folder, "cert.pem"), join(folder, "key.pem")];
  const name = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1", "-days", "2"];
  const args = ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", ...name];
  execFileSync("openssl", [...args, "-keyout", keyPath, "-out", certPath], { stdio: "ignore" });
  return { cert: readFileSync(certPath), key: readFileSync(keyPath), certPath };
}
