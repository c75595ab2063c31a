export type ProcessIdentity = { pid: number; token: string };
export function processToken(pid: number): string | undefined;
export function isSameProcess(identity: ProcessIdentity): boolean;
export function ownIdentity(): ProcessIdentity;
export function commandLine(pid: number): string;
export function isNumberInUse(pid: number): boolean;
