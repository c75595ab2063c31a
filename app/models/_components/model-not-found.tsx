import { type Model, modelPath } from "#lib/models/index";
import { Button } from "../../_components/button";
import { Link } from "../../_components/link";
import { PageHeader, Section } from "../../_components/page-parts";

/** `isShared`: the name is that of several models, which come first in `near`. */
type Props = { message: string; near: readonly Model[]; isShared: boolean };

/** The content of the 404 page of a model: the nearest ones, and the search. */
export function ModelNotFound({ message, near, isShared }: Props) {
  return (
    <>
      <meta name="robots" content="noindex" />
      <PageHeader
        above={<Link href="/models">Models</Link>}
        title={isShared ? "Which model?" : "Model not found."}
        lead={message}
      />
      {near.length > 0 && (
        <Section id="near" title={isShared ? "Models with this name, and similar ones" : "Similar models"}>
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
        <form action="/models" className="row tight">
          <label htmlFor="search-models" className="visually-hidden">
            Id or name of a model
          </label>
          <input
            id="search-models"
            name="q"
            type="search"
            placeholder="Id or name"
            maxLength={200}
            autoComplete="off"
          />
          <Button type="submit" variant="primary">
            Search
          </Button>
        </form>
      </search>
    </>
  );
}
