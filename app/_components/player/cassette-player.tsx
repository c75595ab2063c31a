import { formatCount } from "#lib/platform/format-count";
import { Timeline } from "../timeline";
import { Answer } from "./answer";
import { describeEnd } from "./fold-answer";
import type { PlayerData } from "./load-player";
import { Player, type PlayerProps } from "./player";
import { formatSeconds, toPlayerTimeline } from "./player-timeline";

type Props = { data: PlayerData } & Pick<PlayerProps, "placement" | "autoplay" | "initialMs" | "initialSpeed">;

/** The player of a cassette, with its timeline and its answer rendered on the server. */
export function CassettePlayer({ data, ...rest }: Props) {
  const { summary, recording, ticks, parts } = data;
  const { durationMs, chunkCount } = summary;
  const isTruncated = recording.end === "truncated";
  return (
    <Player
      {...rest}
      id={summary.id}
      provider={summary.provider}
      timeline={toPlayerTimeline(ticks, durationMs)}
      status={recording.status}
      isTruncated={isTruncated}
      endText={describeEnd(parts, chunkCount, isTruncated)}
      drawing={<Timeline ticks={ticks} durationMs={durationMs} size={rest.placement === "embed" ? "small" : "large"} />}
      completeAnswer={<Answer parts={parts} />}
    />
  );
}

/** Describes a timeline for screen readers. */
export function describeTimeline({ chunkCount, durationMs }: { chunkCount: number; durationMs: number }): string {
  return `${formatCount(chunkCount, "chunk")} over ${formatSeconds(durationMs)} seconds`;
}
