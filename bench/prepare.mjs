// prepare() beside JSON.stringify of the same request, in one run. Usage: npm run build && node bench/prepare.mjs
import { createInjector } from '../dist/index.js';

const ROUNDS = Number(process.env.ROUNDS ?? 41);

function history(turns, blockUnits) {
  const messages = [];
  for (let turn = 0; turn < turns; turn += 1) {
    const text = `${turn} ${'words of a user and more of them '.repeat(Math.ceil(blockUnits / 33))}`;
    messages.push({ role: 'user', content: [{ type: 'text', text }] });
    if (turn < turns - 1)
      messages.push({ role: 'assistant', content: [{ type: 'text', text: `answer ${text}` }] });
  }
  return messages;
}

function median(values) {
  return values.toSorted((left, right) => left - right)[Math.floor(values.length / 2)];
}

/** Times both in turns, so that whatever else the machine does falls on both alike. */
async function ratio(prepare, stringify, before = () => {}) {
  const ours = [];
  const theirs = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    before();
    let start = performance.now();
    await prepare();
    ours.push(performance.now() - start);
    start = performance.now();
    stringify();
    theirs.push(performance.now() - start);
  }
  return { ours: median(ours), theirs: median(theirs), ratio: median(ours) / median(theirs) };
}

const row = (name, { ours, theirs, ratio: value }) =>
  console.log(
    `${name.padEnd(58)} ${ours.toFixed(3).padStart(9)} ms ${theirs.toFixed(3).padStart(9)} ms ${value.toFixed(3).padStart(8)}`,
  );

console.log(
  `${'case'.padEnd(58)} ${'prepare'.padStart(12)} ${'stringify'.padStart(12)} ${'ratio'.padStart(8)}`,
);
for (const turns of [10, 100, 1000, 10_000]) {
  for (const servers of [1, 50]) {
    const injector = createInjector({ logLevel: 'silent' });
    for (let server = 0; server < servers; server += 1) {
      injector.adopt(`server-${server}`, { instructions: `Text of server ${server}. `.repeat(80) });
    }
    const conversation = injector.conversation();
    const request = { model: 'claude-opus-5-5', messages: history(turns, 1600) };
    // The first turn of the history is where the block was told.
    await (await conversation.prepare({ ...request, messages: request.messages.slice(0, 1) })).commit();
    await (await conversation.prepare(request)).commit();
    const name = `${turns} turns, ${servers} server${servers === 1 ? '' : 's'}`;
    row(
      `${name}, steady, same objects`,
      await ratio(
        () => conversation.prepare(request),
        () => JSON.stringify(request),
      ),
    );
    const body = JSON.stringify(request);
    let fresh;
    row(
      `${name}, steady, fresh objects`,
      await ratio(
        () => conversation.prepare(fresh),
        () => JSON.stringify(fresh),
        () => {
          fresh = JSON.parse(body);
        },
      ),
    );
    let change = 0;
    row(
      `${name}, a delta due, same objects`,
      await ratio(
        () => {
          injector.adopt('server-0', { instructions: `Changed ${change++}. `.repeat(80) });
          const last = request.messages.at(-1);
          return conversation.prepare(
            {
              ...request,
              messages: [...request.messages.slice(0, -1), { ...last, content: `new ${change}` }],
            },
            { record: false },
          );
        },
        () => JSON.stringify(request),
      ),
    );
    await injector.close();
  }
}
