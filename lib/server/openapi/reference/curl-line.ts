/** What a command has to say to call an operation. */
export type Call = {
  method: string;
  /** Address, in which `$NAME` stands for what the reader has. */
  url: string;
  needsKey: boolean;
  body: unknown;
};

function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function quoteAddress(url: string): string {
  if (url.includes("$")) return `"${url}"`;
  return /[?&]/.test(url) ? quote(url) : url;
}

/** The call as a curl command, one option a line where there are several. Streams are shown as they come. */
export function curlLine({ method, url, needsKey, body }: Call, isStream: boolean): string {
  const options = [
    ...(needsKey ? ['-H "Authorization: Bearer $KEY"'] : []),
    ...(body === undefined ? [] : ["-H 'Content-Type: application/json'", `-d ${quote(JSON.stringify(body))}`]),
  ];
  const verb = method === "GET" || (method === "POST" && body !== undefined) ? "" : `-X ${method} `;
  return [`curl ${isStream ? "-N " : ""}${verb}${quoteAddress(url)}`, ...options].join(" \\\n  ");
}
