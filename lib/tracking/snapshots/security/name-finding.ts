/** Label of each security detector. */
const labels: Readonly<Record<string, string>> = {
  "instruction-override": "Tells a model to ignore its instructions",
  "role-reset": "Assigns a model a new role",
  "prompt-exfiltration": "Asks a model to reveal its prompt",
  "secret-exfiltration": "Asks for secrets to be sent elsewhere",
  "hide-from-user": "Asks a model to hide something from its user",
  "credential-request": "Makes a model ask the user for credentials",
  "answer-distortion": "Asks for distorted answers",
  "answer-steering": "Steers a model's answers",
  "always-recommend": "Asks to always be recommended",
  "jailbreak-phrase": "Names a known jailbreak",
  "chat-markup": "Contains tokens of a chat template",
  "lookalike-host": "Links to a lookalike host",
  "links-off-domain": "Links mostly to other domains",
  "script-link": "Contains a link that runs code",
  "image-template": "Contains an image URL with a placeholder",
  "image-query": "Contains an image URL that carries data",
  "instructing-comment": "Hides instructions in a comment",
  "active-html": "Contains active HTML",
  "zero-width": "Contains zero-width characters",
  "byte-order-mark": "Starts with a byte-order mark",
  "tag-characters": "Contains invisible tag characters",
  "variation-selectors": "Contains runs of invisible variation selectors",
  "bidi-control": "Contains characters that reorder text",
  base64: "Contains a long base64 text",
  "piped-shell": "Pipes a download into a shell",
  "reverse-shell": "Opens a reverse shell",
};

/** Returns the label of a finding's detector; for an unknown detector, its own name. */
export function nameFinding(detector: string): string {
  return labels[detector] ?? detector.replaceAll("-", " ");
}
