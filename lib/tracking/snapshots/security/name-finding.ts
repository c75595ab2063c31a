/** What each security detector looks for, in words. */
const names: Readonly<Record<string, string>> = {
  "instruction-override": "Tells a model to ignore its instructions",
  "role-reset": "Gives a model a new role",
  "prompt-exfiltration": "Asks a model for its prompt",
  "secret-exfiltration": "Asks for secrets to be sent elsewhere",
  "hide-from-user": "Asks a model to hide something from its user",
  "credential-request": "Has the user asked for credentials",
  "answer-distortion": "Asks for distorted answers",
  "answer-steering": "Steers what a model answers",
  "always-recommend": "Asks always to be recommended",
  "jailbreak-phrase": "Names a known jailbreak",
  "chat-markup": "Holds tokens of a chat template",
  "lookalike-host": "Links to a host that looks like another",
  "links-off-domain": "Links mostly to other domains",
  "script-link": "Holds a link that runs code",
  "image-template": "Holds a picture whose address is to be filled in",
  "image-query": "Holds a picture whose address carries data",
  "instructing-comment": "Hides instructions in a comment",
  "active-html": "Holds active HTML",
  "zero-width": "Holds characters without width",
  "byte-order-mark": "Begins with a byte-order mark",
  "tag-characters": "Holds invisible tag characters",
  "variation-selectors": "Holds rows of invisible variation selectors",
  "bidi-control": "Holds characters that reorder text",
  base64: "Holds a long encoded text",
  "piped-shell": "Pipes a download into a shell",
  "reverse-shell": "Hands a shell to another machine",
};

/** A security finding in words; a detector that is not known here by its own name. */
export function nameFinding(detector: string): string {
  return names[detector] ?? detector.replaceAll("-", " ");
}
