"use client";

import { InputField } from "../../_components/field";
import { AddForm, emailOf } from "./actions";

const hint = (isSignUpOpen: boolean) =>
  `That of your ${isSignUpOpen ? "purchase, or any for a key of the free tier" : "account"}. You get a link that shows a new key; nothing changes before.`;

function readRequest(form: FormData) {
  const email = emailOf(form);
  return email ? { email } : "Enter one e-mail address, such as you@example.com.";
}

/** The form that mails a link to a key, in place of a lost one or a first one. */
export function KeyByMail({ isSignUpOpen }: { isSignUpOpen: boolean }) {
  return (
    <AddForm<{ note: string }>
      path="/api/v1/keys/mail"
      label="Mail me a link"
      busyLabel="Sending…"
      readBody={readRequest}
      describe={({ note }) => note}
    >
      {(error) => (
        <InputField
          id="key-email"
          name="email"
          type="email"
          label="E-mail address"
          hint={hint(isSignUpOpen)}
          error={error}
          autoComplete="email"
        />
      )}
    </AddForm>
  );
}
