import { createHash, generateKeyPairSync, type KeyObject, randomBytes, sign, X509Certificate } from "node:crypto";
import { isIP } from "node:net";
import { AsnConvert, OctetString } from "@peculiar/asn1-schema";
import {
  AlgorithmIdentifier,
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  Certificate,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_serverAuth,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
  SubjectPublicKeyInfo,
  TBSCertificate,
  Validity,
  Version,
} from "@peculiar/asn1-x509";
import { dayMs } from "#lib/platform/time";

const commonName = "2.5.4.3";
const ecdsaWithSha256 = new AlgorithmIdentifier({ algorithm: "1.2.840.10045.4.3.2" });
/** Clients refuse certificates that are valid for longer. */
const validityMs = 90 * dayMs;

type Keys = { publicKey: KeyObject; privateKey: KeyObject };

const newKeys = (): Keys => generateKeyPairSync("ec", { namedCurve: "P-256" });

function nameOf(text: string): Name {
  const value = new AttributeValue({ utf8String: text });
  return new Name([new RelativeDistinguishedName([new AttributeTypeAndValue({ type: commonName, value })])]);
}

function extension(extnID: string, value: unknown, { critical = false } = {}): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

const publicKeyInfo = ({ publicKey }: Keys) =>
  AsnConvert.parse(publicKey.export({ type: "spki", format: "der" }), SubjectPublicKeyInfo);

function keyIdOf(keys: Keys): OctetString {
  return new OctetString(
    createHash("sha1")
      .update(Buffer.from(publicKeyInfo(keys).subjectPublicKey))
      .digest(),
  );
}

type ToSign = { issuer: string; subject: string; keys: Keys; extensions: Extension[] };

/** Returns a certificate in PEM. */
function signCertificate({ issuer, subject, keys, extensions }: ToSign, signingKey: KeyObject): string {
  const now = Date.now();
  const serialNumber = randomBytes(16);
  // The number is positive, and has no zero in front.
  serialNumber[0] = ((serialNumber[0] ?? 0) & 0x3f) | 0x40;
  const tbsCertificate = new TBSCertificate({
    version: Version.v3,
    serialNumber: Uint8Array.from(serialNumber).buffer,
    signature: ecdsaWithSha256,
    issuer: nameOf(issuer),
    validity: new Validity({ notBefore: new Date(now - dayMs), notAfter: new Date(now + validityMs) }),
    subject: nameOf(subject),
    subjectPublicKeyInfo: publicKeyInfo(keys),
    extensions: new Extensions([
      ...extensions,
      extension(id_ce_subjectKeyIdentifier, new SubjectKeyIdentifier(keyIdOf(keys))),
    ]),
  });
  const signature = sign("sha256", Buffer.from(AsnConvert.serialize(tbsCertificate)), signingKey);
  const certificate = new Certificate({
    tbsCertificate,
    signatureAlgorithm: ecdsaWithSha256,
    signatureValue: Uint8Array.from(signature).buffer,
  });
  return new X509Certificate(Buffer.from(AsnConvert.serialize(certificate))).toString();
}

const authorityName = "Tapedeck (this run only)";

/** Signs certificates for the hosts that one run intercepts. Its key is in memory only, and ends with the run. */
export class CertificateAuthority {
  /** Its own certificate, which the processes of the run trust. */
  readonly pem: string;
  readonly #keys = newKeys();
  readonly #hostKeys = newKeys();

  constructor() {
    const extensions = [
      extension(id_ce_basicConstraints, new BasicConstraints({ cA: true, pathLenConstraint: 0 }), { critical: true }),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign), { critical: true }),
    ];
    const names = { issuer: authorityName, subject: authorityName };
    this.pem = signCertificate({ ...names, keys: this.#keys, extensions }, this.#keys.privateKey);
  }

  /** Returns a new certificate for a host name or IP address, and its key, both in PEM. */
  certificateFor(host: string): { cert: string; key: string } {
    const name = new GeneralName(isIP(host) ? { iPAddress: host } : { dNSName: host });
    const keyIdentifier = keyIdOf(this.#keys);
    const extensions = [
      extension(id_ce_basicConstraints, new BasicConstraints(), { critical: true }),
      extension(id_ce_keyUsage, new KeyUsage(KeyUsageFlags.digitalSignature), { critical: true }),
      extension(id_ce_extKeyUsage, new ExtendedKeyUsage([id_kp_serverAuth])),
      extension(id_ce_subjectAltName, new SubjectAlternativeName([name])),
      extension(id_ce_authorityKeyIdentifier, new AuthorityKeyIdentifier({ keyIdentifier })),
    ];
    // The subject has at most 64 characters; clients read the alternative name.
    const names = { issuer: authorityName, subject: "Tapedeck" };
    const cert = signCertificate({ ...names, keys: this.#hostKeys, extensions }, this.#keys.privateKey);
    const key = this.#hostKeys.privateKey.export({ type: "pkcs8", format: "pem" }) as string;
    return { cert: cert + this.pem, key };
  }
}
