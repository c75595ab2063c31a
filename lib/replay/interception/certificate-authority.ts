// What signs certificates needs it.
import "reflect-metadata";
import { webcrypto } from "node:crypto";
import { isIP } from "node:net";
import { createSecureContext, type SecureContext } from "node:tls";
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  cryptoProvider,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  type X509Certificate,
  X509CertificateGenerator,
} from "@peculiar/x509";
import { LRUCache } from "lru-cache";
import { dayMs } from "#lib/platform/time";

const algorithm = { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" } as const;
/** Clients refuse certificates that are valid for longer. */
const validityMs = 90 * dayMs;
/** Most certificates that are kept. */
const maxContextCount = 1_000;

function newKeys(): Promise<CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ["sign", "verify"]) as Promise<CryptoKeyPair>;
}

function validity() {
  const now = Date.now();
  return { notBefore: new Date(now - dayMs), notAfter: new Date(now + validityMs) };
}

/** Signs certificates for the hosts that one run intercepts. Its key is in memory only, and ends with the run. */
export class CertificateAuthority {
  /** Its own certificate, which the processes of the run trust. */
  readonly pem: string;
  readonly #certificate: X509Certificate;
  readonly #keys: CryptoKeyPair;
  readonly #hostKeys: CryptoKeyPair;
  readonly #hostKeyPem: string;
  readonly #contexts = new LRUCache<string, Promise<SecureContext>>({ max: maxContextCount });

  private constructor(certificate: X509Certificate, keys: CryptoKeyPair, hostKeys: CryptoKeyPair, hostKeyPem: string) {
    this.pem = `${certificate.toString("pem")}\n`;
    this.#certificate = certificate;
    this.#keys = keys;
    this.#hostKeys = hostKeys;
    this.#hostKeyPem = hostKeyPem;
  }

  static async create(): Promise<CertificateAuthority> {
    cryptoProvider.set(webcrypto as Crypto);
    const [keys, hostKeys] = await Promise.all([newKeys(), newKeys()]);
    const certificate = await X509CertificateGenerator.createSelfSigned({
      name: "CN=Tapedeck (this run only)",
      keys,
      signingAlgorithm: algorithm,
      ...validity(),
      extensions: [
        new BasicConstraintsExtension(true, 0, true),
        new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
        await SubjectKeyIdentifierExtension.create(keys.publicKey),
      ],
    });
    const hostKey = await webcrypto.subtle.exportKey("pkcs8", hostKeys.privateKey);
    return new CertificateAuthority(certificate, keys, hostKeys, PemConverter.encode(hostKey, "PRIVATE KEY"));
  }

  /** Returns the certificate of a host name or IP address, and its key. */
  contextFor(host: string): Promise<SecureContext> {
    const context = this.#contexts.get(host) ?? this.#createContext(host);
    this.#contexts.set(host, context);
    return context;
  }

  async #createContext(host: string): Promise<SecureContext> {
    const certificate = await X509CertificateGenerator.create({
      issuer: this.#certificate.subject,
      // The subject has at most 64 characters; clients read the alternative name.
      subject: "CN=Tapedeck",
      publicKey: this.#hostKeys.publicKey,
      signingKey: this.#keys.privateKey,
      signingAlgorithm: algorithm,
      ...validity(),
      extensions: [
        new BasicConstraintsExtension(false, undefined, true),
        new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
        new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
        new SubjectAlternativeNameExtension([{ type: isIP(host) ? "ip" : "dns", value: host }]),
        await SubjectKeyIdentifierExtension.create(this.#hostKeys.publicKey),
        await AuthorityKeyIdentifierExtension.create(this.#certificate),
      ],
    });
    return createSecureContext({ key: this.#hostKeyPem, cert: `${certificate.toString("pem")}\n${this.pem}` });
  }
}
