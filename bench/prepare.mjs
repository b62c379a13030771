// prepare() beside JSON.stringify of the same request, in one run. Usage: npm run build && node bench/prepare.mjs
import { createInjector } from '../dist/index.js';

const ROUNDS = Number(process.env.ROUNDS ?? 200);

function history(turns, units) {
  const messages = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const text = `${turn} ${'words of a user and more of them '.repeat(Math.ceil(units / 33))}`;
    messages.push({ role: 'user', content: [{ type: 'text', text }] });
    if (turn < turns - 1)
      messages.push({ role: 'assistant', content: [{ type: 'text', text: `answer ${text}` }] });
  }
  return messages;
}

function quantile(values, share) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length * share)];
}

/** Times both by turns, so that whatever else the machine does falls on both alike; the least of each is free of it. */
async function compare(rounds, prepare, stringify, before = () => {}) {
  const [ours, theirs] = [[], []];
  for (let round = 0; round < rounds; round += 1) {
    before();
    let start = performance.now();
    await prepare();
    ours.push(performance.now() - start);
    start = performance.now();
    stringify();
    theirs.push(performance.now() - start);
  }
  return [0, 0.5].map((share) => ({ ours: quantile(ours, share), theirs: quantile(theirs, share) }));
}

function row(name, [least, median]) {
  const cells = [
    least.ours.toFixed(3),
    least.theirs.toFixed(3),
    (least.ours / least.theirs).toFixed(2),
    (median.ours / median.theirs).toFixed(2),
  ];
  console.log(`| ${name} | ${cells.join(' | ')} |`);
}

console.log('| case | prepare, ms | stringify, ms | ratio | ratio of medians |');
console.log('|---|---|---|---|---|');
for (const turns of [10, 100, 1000, 10_000]) {
  // Short ones are run more often: they end before the compiler has looked at them.
  const rounds = Math.max(12, Math.round((ROUNDS * 1000) / Math.max(turns, 20)));
  for (const servers of [1, 50]) {
    const injector = createInjector({ logLevel: 'silent' });
    for (let server = 0; server < servers; server += 1) {
      injector.adopt(`server-${server}`, { instructions: `Text of server ${server}. `.repeat(80) });
    }
    const conversation = injector.conversation();
    const request = { model: 'claude-opus-5-5', messages: history(turns, 1600) };
    const first = { ...request, messages: request.messages.slice(0, 1) };
    // As the chat went on: each turn is recorded, and the first one is where the block was told. Of very long ones every tenth.
    const step = turns > 1000 ? 20 : 2;
    for (let length = 1; length <= request.messages.length; length += step) {
      const messages = request.messages.slice(0, length);
      await (await conversation.prepare({ ...request, messages })).commit();
    }
    await (await conversation.prepare(request)).commit();
    // Tokens are counted beside requests; until then each report makes do with the length.
    while ((await conversation.prepare(first)).report.tokens.method === 'rough') {
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
    const name = `${turns} turns, ${servers} server${servers === 1 ? '' : 's'}`;
    const same = await compare(
      rounds,
      () => conversation.prepare(request),
      () => JSON.stringify(request),
    );
    row(`${name}, steady, same objects`, same);
    const body = JSON.stringify(request);
    let fresh;
    const parsed = await compare(
      Math.ceil(rounds / 2),
      () => conversation.prepare(fresh),
      () => JSON.stringify(fresh),
      () => {
        fresh = JSON.parse(body);
      },
    );
    row(`${name}, steady, fresh objects`, parsed);
    let change = 0;
    let due;
    const news = await compare(
      Math.ceil(rounds / 4),
      () => conversation.prepare(due, { record: false }),
      () => JSON.stringify(due),
      () => {
        change += 1;
        injector.adopt('server-0', { instructions: `Changed ${change}. `.repeat(80) });
        const last = { role: 'user', content: `new ${change}` };
        due = { ...request, messages: [...request.messages.slice(0, -1), last] };
      },
    );
    row(`${name}, a delta due, same objects`, news);
    await injector.close();
  }
}
