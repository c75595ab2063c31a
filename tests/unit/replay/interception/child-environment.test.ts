import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { rootCertificates } from "node:tls";
import { expect, it } from "vitest";
import { CertificateAuthority, interceptedEnvironment } from "#lib/replay/interception/index";

const { pem: certificate } = new CertificateAuthority();
const setting = { origin: "http://127.0.0.1:4999", certificate, baseUrls: {}, hosts: [] };

it("keeps and extends what the environment has", async () => {
  const own = {
    NODE_OPTIONS: "--max-old-space-size=512",
    BUN_OPTIONS: "--smol",
    JAVA_TOOL_OPTIONS: "-Xmx1g",
    GRADLE_OPTS: "-Xmx2g",
    PHP_INI_SCAN_DIR: "/etc/php",
    NO_PROXY: "*.internal,10.0.0.1",
  };
  const { variables, remove } = await interceptedEnvironment(own, setting);
  expect(variables.NODE_OPTIONS).toMatch(/^--max-old-space-size=512 --require ".*register\.cjs"$/);
  expect(variables.BUN_OPTIONS).toMatch(/^--smol "--preload=.*register\.cjs"$/);
  expect(variables.GRADLE_OPTS).toBe("-Xmx2g -Dorg.gradle.daemon=false");
  expect(variables.PHP_INI_SCAN_DIR).toMatch(/^\/etc\/php:/);
  expect(variables.JAVA_TOOL_OPTIONS).toMatch(/^-Xmx1g "-Dhttp\.proxyHost=127\.0\.0\.1" /);
  expect(variables.JAVA_TOOL_OPTIONS).toContain('"-Dhttps.proxyPort=4999"');
  expect(variables.JAVA_TOOL_OPTIONS).toContain(
    "nonProxyHosts=internal|*.internal|10.0.0.1|*.10.0.0.1|localhost|*.localhost|127.0.0.1|*.127.0.0.1|[::1]",
  );
  await remove();
});

it("lets PHP read its own folder where the environment names none", async () => {
  const { variables, remove } = await interceptedEnvironment({}, setting);
  expect(variables.PHP_INI_SCAN_DIR).toMatch(/^:/);
  await remove();
});

it("writes a key store of Java that trusts the run's authority beside the usual ones", async () => {
  const { variables, remove } = await interceptedEnvironment({}, setting);
  const folder = dirname(variables.TAPEDECK_CA as string);
  const store = readFileSync(join(folder, "trusted.jks"));
  expect(store.readUInt32BE(8)).toBe(rootCertificates.length + 1);
  expect(store.includes(Buffer.from(certificate.replace(/-----[^-]+-----/g, ""), "base64"))).toBe(true);
  await remove();
  expect(existsSync(folder)).toBe(false);
});
