export const noDeployment = 'no Convex deployment is named, and none can be started here';

/** The ways to get one. */
export const remedy =
  'start a self-hosted backend (`docker compose up convex`, or https://docs.convex.dev/self-hosting) or make a deployment ' +
  'for nothing else on Convex Cloud; then --url convex=http://HOST:3210 with its admin key (self-hosted: ' +
  './generate_admin_key.sh in its container; cloud: a deploy key) in CONVEX_SELF_HOSTED_ADMIN_KEY';
