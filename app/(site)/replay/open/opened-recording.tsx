"use client";

// First, before any schema is created.
import "./without-eval";

import { type ReactNode, useMemo } from "react";
import { decodeText, joinBytes } from "#lib/platform/bytes";
import {
  type FileContent,
  ImportError,
  maxOpenByteSize,
  type OpenedFile,
  openFile,
} from "#lib/replay/cassettes/browser";
import { Badge, StatusBadge } from "../../../_components/badge";
import { readTicks } from "../../../_components/chunk-ticks";
import { Answer } from "../../../_components/player/answer";
import { describeEnd, foldAnswer } from "../../../_components/player/fold-answer";
import { Player } from "../../../_components/player/player";
import { bodyEvent, type PlayerEvent } from "../../../_components/player/player-event";
import { formatSeconds, toPlayerTimeline } from "../../../_components/player/player-timeline";
import type { ReadyRecording } from "../../../_components/player/use-recording";
import { Timeline, TimelineLegend } from "../../../_components/timeline";

/** Reads a file. Throws ImportError. */
export async function readFile(file: File, entry: number | undefined): Promise<FileContent> {
  if (file.size > maxOpenByteSize)
    throw new ImportError(file.name, `has ${file.size} bytes; the limit is ${maxOpenByteSize} (32 MiB)`);
  return openFile({ name: file.name, bytes: new Uint8Array(await file.arrayBuffer()) }, { entry });
}

/** Returns what to tell about an error of `readFile`. */
export function explain(error: unknown, name: string): string {
  if (error instanceof ImportError) return `${error.message}.`;
  return `${name} could not be read. It may have been moved or changed; choose it again.`;
}

function eventsOf({ status, chunks, events }: OpenedFile): PlayerEvent[] {
  if (status !== 200) {
    const body = decodeText(joinBytes(chunks.map(({ bytes }) => bytes)));
    return [bodyEvent(body, { status, chunkCount: chunks.length })];
  }
  return events.map(({ chunk, event, data, json }, number) => ({ number, chunk, event, data, json }));
}

function dueTimes({ chunks }: OpenedFile): number[] {
  let atMs = 0;
  return chunks.map(({ deltaMs }) => {
    atMs += deltaMs;
    return atMs;
  });
}

/** Everything that the player needs, computed once for a file. */
function prepare(recording: OpenedFile) {
  const { provider, chunks, events } = recording;
  const ticks = readTicks({ provider, dueMs: dueTimes(recording), events, chunks: chunks.map(({ bytes }) => bytes) });
  const shown = eventsOf(recording);
  const loaded: ReadyRecording = { phase: "ready", events: shown, Answer, foldAnswer, provider };
  return { ticks, loaded, parts: foldAnswer(provider, shown) };
}

type Props = {
  name: string;
  recording: OpenedFile;
  /** What is shown below the name. */
  children?: ReactNode;
};

/** A recording from a file, in the player. */
export function OpenedRecording({ name, recording, children }: Props) {
  const { provider, durationMs, status, end, timing, chunks, notes } = recording;
  const { ticks, loaded, parts } = useMemo(() => prepare(recording), [recording]);
  const timeline = useMemo(() => toPlayerTimeline(ticks, durationMs), [ticks, durationMs]);
  return (
    <section aria-label="The opened file" className="stack">
      <h2>{name}</h2>
      {children}
      <div className="row caption">
        <Badge>{timing} timing</Badge>
        <StatusBadge status={end} />
        <span>{provider.title}</span>
        <span>{formatSeconds(durationMs)} s</span>
        <span>
          {chunks.length.toLocaleString("en")} {chunks.length === 1 ? "chunk" : "chunks"}
        </span>
        <TimelineLegend kinds={[...new Set(ticks.map(({ kind }) => kind))]} />
      </div>
      {notes.map((note) => (
        <p key={note}>{note}</p>
      ))}
      <Player
        id={name}
        provider={provider.name}
        placement="file"
        timeline={timeline}
        status={status}
        isTruncated={end === "truncated"}
        endText={describeEnd(parts, chunks.length, end === "truncated")}
        drawing={<Timeline ticks={ticks} durationMs={durationMs} size="large" />}
        completeAnswer={<Answer parts={parts} />}
        autoplay
        initialMs={null}
        initialSpeed={1}
        loaded={loaded}
      />
    </section>
  );
}
