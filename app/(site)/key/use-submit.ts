import { useState } from "react";
import type { ApiRequestOptions, SendRequest } from "./api-request";

/** State of a form or an item whose requests are sent one at a time. */
export function useSubmit(sendRequest: SendRequest) {
  const [error, setError] = useState<string>();
  const [isBusy, setIsBusy] = useState(false);
  /** Sends a request and calls `onDone` with the response's data; a failure becomes `error`, without a response with `doubt`. */
  const submit = async <Data>(
    path: string,
    options: ApiRequestOptions,
    onDone: (data: Data) => void,
    doubt: string | undefined = undefined,
  ) => {
    setIsBusy(true);
    setError(undefined);
    const result = await sendRequest<Data>(path, options);
    setIsBusy(false);
    if (result.ok) onDone(result.data);
    else setError(result.code === null && doubt ? `${result.message} ${doubt}` : result.message);
  };
  return { error, setError, isBusy, submit };
}
