/** The site URL at which this deployment serves its HTTP actions, as Convex gives it to its functions; null when it does not. */
export function siteUrl(): string | null {
  return process.env['CONVEX_SITE_URL'] ?? null;
}
