import { unmatched } from "#lib/server/http/route";

export const dynamic = "force-dynamic";
export {
  unmatched as DELETE,
  unmatched as GET,
  unmatched as HEAD,
  unmatched as OPTIONS,
  unmatched as PATCH,
  unmatched as POST,
  unmatched as PUT,
};
