/** The URL of this deployment's HTTP actions, as Convex passes it to its functions; null when it does not. */
export function siteUrl(): string | null {
  return process.env['CONVEX_SITE_URL'] ?? null;
}
