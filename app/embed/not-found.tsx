import { Notice } from "../_components/notice";

export default function EmbedNotFound() {
  return (
    <Notice tone="error" title="There is no such cassette.">
      The address of this frame may be old or mistyped.
    </Notice>
  );
}
