import { existsSync } from 'node:fs';
import { type Availability, type TargetOptions, messageOf } from '@fair-bench/contract';
import { adminApi } from './admin-api.ts';
import { adminKeyNamed } from './admin-key.ts';
import { bindingPath } from './deploy.ts';
import { parseOptions } from './options.ts';
import { noDeployment, noKey, remedy } from './service.ts';

const probeTimeoutMs = 5_000;

/** Whether the named deployment answers and accepts the key. Pushes nothing. */
export async function probeConvex(target: TargetOptions): Promise<Availability> {
  const parsed = parseOptions(target);
  if ('problem' in parsed) return { available: false, ...parsed.problem };
  const { url, workload } = target;
  if (workload !== null && !existsSync(bindingPath(workload))) {
    return {
      available: false,
      reason: `the workload ${workload.shape.name} has no binding ${bindingPath(workload)}`,
      remedy: 'write it as the `convex.ts` of another workload, or leave this target out',
    };
  }
  if (url === undefined) return { available: false, reason: noDeployment, remedy };
  if (!/^https?:\/\//.test(url) || !URL.canParse(url)) {
    return { available: false, reason: 'its URL does not begin with http:// or https://', remedy };
  }
  const { adminKeyVariable } = parsed.options;
  const key = adminKeyNamed(adminKeyVariable);
  if (key === null) return { available: false, reason: noKey(adminKeyVariable), remedy };
  try {
    const api = adminApi(url, key);
    const signal = AbortSignal.timeout(probeTimeoutMs);
    const [version] = await Promise.all([api.version(signal), api.kind(signal)]);
    return { available: true, provider: 'url', version };
  } catch (error) {
    return { available: false, reason: messageOf(error), remedy };
  }
}
