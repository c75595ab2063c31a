"use client";

import type { SendRequest } from "../api-request";
import { ListSection } from "../list-section";
import { AddDigest } from "./add-digest";
import { DigestItem } from "./digest-item";
import type { Digests } from "./types";

type Props = { sendRequest: SendRequest; categories: readonly string[] };

/** The e-mail digests of the key's account. */
export function DigestManager({ sendRequest, categories }: Props) {
  return (
    <ListSection<Digests>
      id="digests"
      title="E-mail digests"
      lead="Changes of the vendors that your tier covers are mailed to these addresses."
      noun="digests"
      path="/api/v1/digests"
      sendRequest={sendRequest}
      describeCount={({ _meta: { count, limit } }) => `${count} of ${limit} digests`}
      renderItems={({ digests }, reload) =>
        digests.map((digest) => (
          <DigestItem key={digest.id} digest={digest} sendRequest={sendRequest} onChanged={reload} />
        ))
      }
      renderForm={(reload) => <AddDigest sendRequest={sendRequest} categories={categories} onAdded={reload} />}
    />
  );
}
