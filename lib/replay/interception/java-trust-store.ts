import { createHash } from "node:crypto";

/** Java checks it only where one is set. */
export const trustStorePassword = "changeit";

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Returns a key store of Java (JKS, version 2) with the certificates of a PEM text as trusted ones. */
export function javaTrustStore(pem: string): Buffer {
  const certificates = [...pem.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END/g)].map(([, body = ""]) =>
    Buffer.from(body, "base64"),
  );
  const [magic, version, trustedEntry] = [0xfeedfeed, 2, 2];
  const createdAt = Buffer.alloc(8);
  const entries = certificates.flatMap((der, index) => [
    ...[uint32(trustedEntry), text(`authority-${index}`), createdAt],
    ...[text("X.509"), uint32(der.length), der],
  ]);
  const content = Buffer.concat([uint32(magic), uint32(version), uint32(certificates.length), ...entries]);
  const password = Buffer.from(trustStorePassword, "utf16le").swap16();
  const digest = createHash("sha1").update(password).update("Mighty Aphrodite").update(content).digest();
  return Buffer.concat([content, digest]);
}
