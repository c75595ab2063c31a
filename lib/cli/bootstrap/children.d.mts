import type { ChildProcess, SpawnOptions } from "node:child_process";

export function startChild(file: string, words: readonly string[], options: SpawnOptions): ChildProcess;
export function signalChild(pid: number, name: NodeJS.Signals): void;
export function endLeftoverChildren(): Promise<void>;
