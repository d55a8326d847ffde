# The mock server without a shell, in two stages; the second one only copies.
#
#   docker build -t mockpets .
#   docker run --rm -p 127.0.0.1:7387:7387 -e MOCKPETS_CONTROL=off mockpets
#
# docs/operate/containers.md and docs/operate/demo.md explain how to use it.

# Any image with Python 3.11 or newer as python3, with venv and ensurepip. To pin its digest, pass
# --build-arg BASE=python:3.13-slim@sha256:..., as 'docker buildx imagetools inspect' shows it.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
# pip's own variables, for another package index (--build-arg).
ARG PIP_INDEX_URL
ARG PIP_FIND_LINKS
ARG PIP_NO_INDEX
# The commit, for `mockpets --version`.
ARG REVISION=""
WORKDIR /source
COPY . .
RUN export MOCKPETS_COMMIT="$REVISION" \
    && python3 -m venv /build \
    && python3 -m venv --without-pip /opt/mockpets \
    && /build/bin/pip --python /opt/mockpets/bin/python install \
        --quiet --no-cache-dir --no-compile --disable-pip-version-check -c constraints.txt . \
    && /opt/mockpets/bin/python deploy/release/sbom.py >/opt/mockpets/sbom.cdx.json
# The container runs on a read-only file system, and the official images lack a compiled standard
# library: compile both here, into a separate tree, without later checks.
ENV PYTHONPYCACHEPREFIX=/opt/mockpets/compiled
RUN /opt/mockpets/bin/python -m compileall -q --invalidation-mode unchecked-hash \
        -x '/(test|tests|idlelib|ensurepip|pip|lib2to3|pydoc_data|turtledemo)/' \
        "$(/opt/mockpets/bin/python -c 'import os; print(os.path.dirname(os.__file__))')" \
        /opt/mockpets/lib \
    && mkdir -p /root-of-image/scenarios /root-of-image/fixtures /root-of-image/mockpets \
    && install -d -o 10001 -g 0 -m 0775 /root-of-image/state

FROM ${BASE}
# Where this image comes from: --build-arg REVISION="$(git rev-parse HEAD)", and so for the others.
ARG SOURCE=""
ARG REVISION=""
ARG CREATED=""
ARG URL=""
LABEL org.opencontainers.image.title="mockpets" \
      org.opencontainers.image.source="${SOURCE}" \
      org.opencontainers.image.revision="${REVISION}" \
      org.opencontainers.image.created="${CREATED}" \
      org.opencontainers.image.url="${URL}" \
      org.opencontainers.image.description="A mock server for the pet store service: exact, stateful, and able to misbehave on demand." \
      org.opencontainers.image.version="0.2.0" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /opt/mockpets /opt/mockpets
# Mount your own files at /scenarios and /fixtures, a volume for MOCKPETS_STATE at /state (writable
# for group 0), and a mockpets.toml into /mockpets.
COPY --from=build /root-of-image /
ENV PATH=/opt/mockpets/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONPYCACHEPREFIX=/opt/mockpets/compiled \
    MOCKPETS_HOST=0.0.0.0 \
    MOCKPETS_LOG=json \
    MOCKPETS_SCENARIOS_DIR=/scenarios \
    MOCKPETS_FIXTURES_DIR=/fixtures
# 0.0.0.0 is every IPv4 address. In an IPv6-only network set MOCKPETS_HOST=::
WORKDIR /mockpets
USER 10001:10001
EXPOSE 7387
STOPSIGNAL SIGTERM
# The check reads MOCKPETS_PORT and MOCKPETS_PREFIX, so set the port with the variable.
HEALTHCHECK --interval=10s --timeout=4s --start-period=15s --start-interval=1s --retries=3 CMD ["mockpets", "health"]
ENTRYPOINT ["mockpets"]
CMD ["serve"]
