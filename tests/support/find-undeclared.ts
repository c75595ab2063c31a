import type { DeclaredOperations } from "#tests/faults/fuzz/find-problems";

type Sent = { method: string; path: string; url: string; init?: RequestInit };

/** Sends a request to an operation. Returns what its declaration does not say about the answer. */
export async function findUndeclared(
  declared: DeclaredOperations,
  { method, path, url, init = {} }: Sent,
): Promise<{ status: number; problems: string[] }> {
  const operation = declared.operations.find((one) => one.method === method && one.path === path);
  if (!operation) throw new Error(`There is no operation ${method} ${path}.`);
  const response = await fetch(url, { ...init, method: method.toUpperCase() });
  const contentType = response.headers.get("content-type") ?? "";
  const received = { status: response.status, contentType, body: await response.text() };
  return { status: received.status, problems: declared.findProblems(operation, received) };
}
