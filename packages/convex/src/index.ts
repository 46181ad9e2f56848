export { AdminKey } from './admin-key.ts';
export { provisionConvex, type ConvexRoute } from './deployment.ts';
export { testedDeployments } from './env.ts';
export { fairProfile } from './fair-profile.ts';
export { probeConvex } from './probe.ts';
