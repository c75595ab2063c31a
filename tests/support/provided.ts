import { afterAll, beforeAll } from "vitest";

/** Gives the tests of a file what `create` makes before them, and closes it after them. */
export function provided<Fixture extends { close: () => Promise<void> }>(create: () => Promise<Fixture>): Fixture {
  const fixture = {} as Fixture;
  beforeAll(async () => {
    const made = await create();
    Object.assign(Object.setPrototypeOf(fixture, Object.getPrototypeOf(made)), made);
  });
  // There is nothing to close if `create` has failed.
  afterAll(() => fixture.close?.());
  return fixture;
}
