import { Tape } from "../tape";
import { Answer } from "./answer";
import { seconds, toPlayedTape } from "./played-tape";
import { Player, type PlayerProps } from "./player";
import type { Stage } from "./read-stage";

type Props = { stage: Stage } & Pick<PlayerProps, "place" | "startsByItself" | "initialMs" | "initialSpeed">;

/** The player of a cassette, with its tape drawn and its answer written on the server. */
export function StagePlayer({ stage, ...rest }: Props) {
  const { summary, recording, ticks, parts } = stage;
  const { durationMs } = summary;
  return (
    <Player
      {...rest}
      id={summary.id}
      tape={toPlayedTape(ticks, durationMs)}
      status={recording.status}
      isTruncated={recording.end === "truncated"}
      drawing={<Tape ticks={ticks} durationMs={durationMs} size={rest.place === "embed" ? "small" : "large"} />}
      whole={<Answer parts={parts} />}
    />
  );
}

/** What a tape shows, in words. */
export function describeTape({ chunkCount, durationMs }: { chunkCount: number; durationMs: number }): string {
  return `${chunkCount} chunks over ${seconds(durationMs)} seconds`;
}
