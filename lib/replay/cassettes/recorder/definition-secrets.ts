import { credentialNames, passwordNames, signatureNames } from "./secret-members";

/** Members of a request that define tools and servers, which may have credentials of their own. */
const definitions = /^(?:tools?|functions|mcp_?servers|connectors|tool_?config|extensions)$/i;
/** Members that contain a credential, in the definition of a tool or server. */
const credentialMember = new RegExp(
  String.raw`^(?:[\w.-]{0,40}(?:${passwordNames}|pwd|${credentialNames})|(?:[a-z]+[-_])?token|sig|signature|credentials?|connection[-_]?string)$`,
  "i",
);
/** Headers whose values are credentials, whatever their exact name. */
const credentialHeader = /auth|key|token|secret|passw|cookie|signature|credential/i;
const headerMaps = /^(?:.*[-_])?headers$/i;
/** Credentials in URLs. */
const credentialParameter = new RegExp(
  String.raw`(?<=[?&;](?:(?:ocp[-_]apim[-_])?subscription[-_]key|(?:[a-z]+[-_])?(?:api[-_]?)?(?:key|token|secret|password)|code|${signatureNames})=)[^&;#\s"']{3,2000}`,
  "gi",
);

/** Where a value of a request is, as far as it says what the value may be. */
export type Place = { key: string | undefined; isDefinition: boolean; isHeader: boolean };

export const requestPlace: Place = { key: undefined, isDefinition: false, isHeader: false };

/** Returns the place of a member; the items of a list are in that of the list. */
export function placeOfMember({ isDefinition, isHeader }: Place, key: string): Place {
  // A schema describes members, and has no values.
  if (key === "properties" || key === "parameters" || key === "input_schema")
    return { key, isDefinition: false, isHeader: false };
  return {
    key,
    isDefinition: isDefinition || definitions.test(key),
    isHeader: isDefinition && (isHeader || headerMaps.test(key)),
  };
}

/** Whether the value of a member is a credential. */
export function isCredential(
  { key, isDefinition, isHeader }: Place,
  siblings: Readonly<Record<string, unknown>>,
): boolean {
  if (!isDefinition || key === undefined) return false;
  // A header may be written as a pair.
  const name = key === "value" && typeof siblings.name === "string" ? siblings.name : key;
  return credentialMember.test(name) || (isHeader && name !== "name" && credentialHeader.test(name));
}

/** Returns a URL, or a text with some, with the values of its credentials replaced. */
export function maskParameters(text: string, mask: string): { text: string; lengths: number[] } {
  const lengths: number[] = [];
  const masked = text.replace(credentialParameter, (value) => {
    lengths.push(Buffer.byteLength(value));
    return mask;
  });
  return { text: masked, lengths };
}
