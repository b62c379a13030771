import { fileURLToPath } from 'node:url';

import { defineConfig, type ViteUserConfig } from 'vitest/config';

const config: ViteUserConfig = defineConfig({
  // What `imports` of package.json says of the built files, said of the sources.
  resolve: {
    alias: [
      { find: /^#node\/(.*)\.js$/, replacement: `${fileURLToPath(new URL('src', import.meta.url))}/$1.ts` },
    ],
  },
  test: {
    include: ['test/**/*.test.ts'],
    reporters: ['default', './test/support/count-reporter.ts'],
    // Real servers are started by many files; two cores are the smallest machine this runs on.
    maxWorkers: 2,
    testTimeout: 120_000,
    hookTimeout: 180_000,
    // What a test polls for may be a process that a loaded machine starts slowly.
    expect: { poll: { timeout: 20_000 } },
  },
});

export default config;
