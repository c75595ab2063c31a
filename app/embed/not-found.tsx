import { Notice } from "../_components/page-parts";

export default function EmbedNotFound() {
  return (
    <Notice tone="error" title="Cassette not found.">
      The URL of this iframe may be old or mistyped.
    </Notice>
  );
}
