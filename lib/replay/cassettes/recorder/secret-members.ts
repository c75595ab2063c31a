/** Ends of the names of members whose values are credentials, as the source of a regular expression. */

/** Their value is a secret whatever it is. */
export const passwordNames = "password|passwd|passphrase|passcode|secret";

/** Their value may also be a word that says whether there is a credential. */
export const credentialNames =
  "(?:proxy[-_]?)?authorization(?:[-_]?token)?|cookie|(?:api|access|secret|private|signing|encryption|account|subscription)[-_]?key|(?:access|auth|bearer|refresh|session|id|api|bot)[-_]?token";

/** Parameters of a signed URL that differ by who signed it, as of S3, Google Cloud Storage, Azure and compatible stores. */
export const signatureNames =
  "sig|(?:[a-z]{1,20}-){0,3}(?:signature|credential|security-token)|(?:aws|oss)?accesskeyid|googleaccessid";
