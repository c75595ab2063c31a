import type { Metadata } from "next";
import { pageHead } from "#lib/discovery/documents/index";
import { Link } from "../../../_components/link";
import { Notice, PageHeader, Section } from "../../../_components/page-parts";
import { FilePlayer } from "./file-player";

export const metadata: Metadata = pageHead("/replay/open");

export default function OpenFilePage() {
  return (
    <>
      <PageHeader
        isCompact
        title="Play a file"
        above={<Link href="/replay">Replay</Link>}
        lead="Plays an event stream (.sse), a HAR file or a cassette in this browser. The file stays on your machine: nothing is uploaded."
      />
      <FilePlayer />
      <noscript>
        <Notice>
          This page needs JavaScript, because the file is read in the browser. Without it, play a file with{" "}
          <code>tapedeck cassettes play</code>.
        </Notice>
      </noscript>
      <Section id="formats" title="What can be opened">
        <ul className="stack tight text">
          <li>
            <strong>Event stream</strong> (<code>.sse</code>, or lines of JSON): the body of a response, for example
            from <code>curl -N</code>. It has no times, so its events are played at an even pace.
          </li>
          <li>
            <strong>HAR</strong> (<code>.har</code>): saved from the network panel of a browser, with content. If it has
            several answers, choose one.
          </li>
          <li>
            <strong>Cassette</strong> (<code>.json</code>), with its recorded times. Its checksums are checked.
          </li>
        </ul>
        <p className="text">
          At most 32 MiB, 100,000 events and one hour; answers of Anthropic, OpenAI, Gemini and Ollama. To keep a
          recording, <Link href="/docs/recording">import it as a cassette</Link>.
        </p>
      </Section>
    </>
  );
}
