import type { ConvexProtocolDouble } from './convex-protocol-double.ts';

/** Two accounts with this balance, inserted through the admin API. */
export async function seedDouble({ url, adminKey }: ConvexProtocolDouble, balance: bigint): Promise<void> {
  const response = await fetch(`${url}/api/function`, {
    method: 'POST',
    headers: { authorization: `Convex ${adminKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      path: 'tables:load',
      args: { table: 'account', rows: [0, 1].map((id) => [id, String(balance)]) },
    }),
  });
  const text = await response.text();
  if (!text.includes('"success"')) throw new Error(`the double was not seeded: ${text}`);
}
