// Configuration of mocks-server without its interactive features.
module.exports = {
  log: "silent",
  mock: { collections: { selected: "pets" } },
  files: { watch: false },
  plugins: { inquirerCli: { enabled: false }, adminApi: { host: "127.0.0.1" } },
  server: { host: "127.0.0.1" },
};
