import { Tape } from "../timeline";
import { Answer } from "./answer";
import type { Stage } from "./load-player";
import { Player, type PlayerProps } from "./player";
import { seconds, toPlayerTimeline } from "./player-timeline";

type Props = { stage: Stage } & Pick<PlayerProps, "place" | "startsByItself" | "initialMs" | "initialSpeed">;

/** The player of a cassette, with its tape drawn and its answer written on the server. */
export function CassettePlayer({ stage, ...rest }: Props) {
  const { summary, recording, ticks, parts } = stage;
  const { durationMs } = summary;
  return (
    <Player
      {...rest}
      id={summary.id}
      tape={toPlayerTimeline(ticks, durationMs)}
      status={recording.status}
      isTruncated={recording.end === "truncated"}
      drawing={<Tape ticks={ticks} durationMs={durationMs} size={rest.place === "embed" ? "small" : "large"} />}
      whole={<Answer parts={parts} />}
    />
  );
}

/** What a tape shows, in words. */
export function describeTimeline({ chunkCount, durationMs }: { chunkCount: number; durationMs: number }): string {
  return `${chunkCount} chunks over ${seconds(durationMs)} seconds`;
}
