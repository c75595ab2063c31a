import { type Model, modelPath } from "#lib/models/index";
import type { AppError } from "#lib/platform/errors";
import { Button } from "../../_components/button";
import { InputField } from "../../_components/field";
import { Link } from "../../_components/link";
import { PageHeader, Section } from "../../_components/page-parts";

/** The content of the 404 page of a model: the nearest ones, and the search. */
export function ModelNotFound({ error, near }: { error: AppError; near: readonly Model[] }) {
  return (
    <>
      <meta name="robots" content="noindex" />
      <PageHeader above={<Link href="/models">Models</Link>} title="Model not found." lead={error.message} />
      {near.length > 0 && (
        <Section id="near" title="The nearest">
          <ul className="text">
            {near.map((model) => (
              <li key={modelPath(model)}>
                <Link href={modelPath(model)}>{model.id}</Link> of {model.provider}
              </li>
            ))}
          </ul>
        </Section>
      )}
      <search aria-label="Models">
        <form action="/models" className="row">
          <InputField id="search-models" label="Id or name" type="search" name="q" maxLength={200} />
          <Button type="submit" variant="primary">
            Search
          </Button>
        </form>
      </search>
    </>
  );
}
