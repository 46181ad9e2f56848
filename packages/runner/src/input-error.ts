/**
 * Bad input: ends the command with exit code 2 before anything was started. The message is one line that
 * names the option (or file), what it got and what it accepts.
 */
export class InputError extends Error {
  override readonly name = 'InputError';

  constructor(message: string, options?: ErrorOptions) {
    super(message.replaceAll(/\s*\n\s*/g, ' ').trim(), options);
  }
}

/** Bad input of one option: `--depth: got "0"; accepts whole numbers from 1`. */
export function badOption(option: string, got: string, accepts: string, options?: ErrorOptions): InputError {
  return new InputError(`--${option}: got "${got}"; accepts ${accepts}`, options);
}
