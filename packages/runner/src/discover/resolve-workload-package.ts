import { registerHooks } from 'node:module';

let isRegistered = false;

/** For a folder outside the repository: resolves the workload package to this one, unless the folder has its own. */
export function resolveWorkloadPackage(): void {
  if (isRegistered) return;
  isRegistered = true;
  registerHooks({
    resolve(specifier, context, next) {
      try {
        return next(specifier, context);
      } catch (error) {
        if (!/^@?fair-bench\//.test(specifier)) throw error;
        return next(specifier, { ...context, parentURL: import.meta.url });
      }
    },
  });
}
