import { X509Certificate } from "node:crypto";
import { once } from "node:events";
import { connect, createServer } from "node:tls";
import { expect, it } from "vitest";
import { CertificateAuthority } from "#lib/replay/interception/index";
import { listen } from "#tests/support/listen";

const authority = new CertificateAuthority();

/** Returns the certificate that a server presents for a host to a client that trusts the authority alone. */
async function presented(host: string): Promise<X509Certificate> {
  const server = createServer(authority.certificateFor(host));
  const port = await listen(server);
  const client = connect({ port, host: "127.0.0.1", servername: host, ca: authority.pem });
  await once(client, "secureConnect");
  const certificate = client.getPeerX509Certificate();
  client.destroy();
  if (!certificate) throw new Error("no certificate");
  return certificate;
}

it("its own certificate can sign others, and nothing below them", () => {
  const certificate = new X509Certificate(authority.pem);
  expect(certificate.ca).toBe(true);
  expect(certificate.verify(certificate.publicKey)).toBe(true);
  expect(certificate.subject).toBe("CN=Tapedeck (this run only)");
  expect(new CertificateAuthority().pem).not.toBe(authority.pem);
});

it.each(["api.openai.com", `${"a".repeat(60)}.${"b".repeat(60)}.example`])(
  "a client accepts its certificate for %s",
  async (host) => {
    const certificate = await presented(host);
    const issuer = new X509Certificate(authority.pem);
    expect(certificate.checkHost(host)).toBe(host);
    expect(certificate.checkHost("other.example")).toBeUndefined();
    expect(certificate.ca).toBe(false);
    expect(certificate.checkIssued(issuer)).toBe(true);
    expect(certificate.keyUsage).toEqual(["1.3.6.1.5.5.7.3.1"]);
    expect(Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)).toBeLessThan(398 * 24 * 3_600_000);
  },
);
