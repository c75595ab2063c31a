import { expect, it } from "vitest";
import { tapeNameOf } from "#lib/replay/recording-proxy/import/source-files";

it.each([
  ["/p/tests/cassettes/test_trip/test_packs.yaml", "/p", "tests/test_trip.py > test_packs"],
  ["/p/tests/cassettes/test_trip/test_packs[gpt-4.1].yaml", "/p/tests", "tests/test_trip.py > test_packs[gpt-4.1]"],
  ["/p/tests/cassettes/test_trip/TestTrip.test_packs.yaml", "/p", "tests/test_trip.py > TestTrip > test_packs"],
  ["/p/cassettes/trip_test/test_packs.yaml", "/p", "trip_test.py > test_packs"],
  // Not of pytest-recording, or of another project: the file's own name.
  ["/p/tests/cassettes/test_packs.yaml", "/p/tests/cassettes", "test_packs"],
  ["/q/cassettes/test_trip/test_packs.yaml", "/q", "cassettes/test_trip/test_packs"],
  ["/p/spec/vcr_cassettes/chat/books_a_trip.yml", "/p/spec/vcr_cassettes", "chat/books_a_trip"],
  ["/p/session.har", "/p/session.har", "session"],
])("%s in %s is the tape %s", (file, given, name) => {
  expect(tapeNameOf(file, given, "/p")).toBe(name);
});
