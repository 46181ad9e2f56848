/** A reply whose body is JSON already. */
export function jsonReply(status: number, body: string): Response {
  return new Response(body, { status, headers: { 'content-type': 'application/json' } });
}
