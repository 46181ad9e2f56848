import { connect } from 'node:net';
import { once } from 'node:events';
import { expect, test } from 'vitest';
import { inDoubt, refused } from '@fair-bench/contract';
import { faultsByCode } from '../src/index.ts';

class ServerError extends Error {
  readonly number: number;
  readonly fatal: boolean;

  constructor(number: number, fatal = false) {
    super('said the server');
    this.number = number;
    this.fatal = fatal;
  }
}

const faultOf = faultsByCode({
  codeOf: (error) => (error instanceof ServerError ? String(error.number) : null),
  refused: { '1213': 'deadlock' },
  ended: (code) => code.startsWith('2'),
  rolledBack: (error) => error instanceof ServerError && !error.fatal,
});

test('a listed code is a refusal of its own type', () => {
  expect(faultOf(new ServerError(1213))).toEqual(refused('deadlock', 'said the server (1213)'));
});

test('a code that ends the connection leaves a doubt', () => {
  expect(faultOf(new ServerError(2013))).toEqual(inDoubt('connection-lost', 'said the server (2013)'));
});

test('any other code leaves a doubt unless the server rolled back', () => {
  expect(faultOf(new ServerError(1064))).toEqual(refused('server-error', 'said the server (1064)'));
  expect(faultOf(new ServerError(1064, true))).toEqual(inDoubt('server-error', 'said the server (1064)'));
});

test('the error of a socket is a lost connection, in doubt', async () => {
  const [error] = await once(connect(1, '127.0.0.1'), 'error').catch((reason: unknown) => [reason]);
  expect(faultOf(error)).toMatchObject({
    code: 'connection-lost',
    inDoubt: true,
    message: expect.stringContaining('ECONNREFUSED'),
  });
});

test('a driver that refuses our call is no lost connection', () => {
  expect(faultOf(new RangeError('parameter index 2 is out of range'))).toEqual(
    inDoubt(
      'internal',
      'the driver refused our call: parameter index 2 is out of range; correct what the connector passes to it',
    ),
  );
});
