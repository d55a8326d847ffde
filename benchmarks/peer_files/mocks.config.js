// mocks-server without what a person in front of it would want.
module.exports = {
  log: 'silent',
  mock: { collections: { selected: 'pets' } },
  files: { watch: false },
  plugins: { inquirerCli: { enabled: false }, adminApi: { host: '127.0.0.1' } },
  server: { host: '127.0.0.1' },
}
