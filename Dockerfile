# The mock server, and nothing that needs a shell: two stages, of which the second only copies.
#
#   docker build -t mockpets .
#   docker run --rm -p 127.0.0.1:7387:7387 -e MOCKPETS_CONTROL=off mockpets
#
# docs/sidecar.md and docs/demo.md say how it is used.

# Any image will do that has Python from 3.11 on as python3, with venv and ensurepip.
ARG BASE=python:3.13-slim

FROM ${BASE} AS build
# pip's own variables, for those whose packages come from elsewhere (--build-arg).
ARG PIP_INDEX_URL
ARG PIP_FIND_LINKS
ARG PIP_NO_INDEX
WORKDIR /source
COPY . .
RUN python3 -m venv /build \
    && python3 -m venv --without-pip /opt/mockpets \
    && /build/bin/pip --python /opt/mockpets/bin/python install \
        --quiet --no-cache-dir --no-compile --disable-pip-version-check -c constraints.txt .
# Nothing can be written where this runs, and the official images have no compiled standard library:
# all of both is compiled here, into a tree of its own, and never looked at again.
ENV PYTHONPYCACHEPREFIX=/opt/mockpets/compiled
RUN /opt/mockpets/bin/python -m compileall -q --invalidation-mode unchecked-hash \
        -x '/(test|tests|idlelib|ensurepip|pip|lib2to3|pydoc_data|turtledemo)/' \
        "$(/opt/mockpets/bin/python -c 'import os; print(os.path.dirname(os.__file__))')" \
        /opt/mockpets/lib \
    && mkdir -p /root-of-image/scenarios /root-of-image/fixtures /root-of-image/mockpets \
    && install -d -o 10001 -g 0 -m 0775 /root-of-image/state

FROM ${BASE}
LABEL org.opencontainers.image.title="mockpets" \
      org.opencontainers.image.description="A mock server for the pet store service: exact, stateful, and able to misbehave on demand." \
      org.opencontainers.image.version="0.1.0" \
      org.opencontainers.image.licenses="MIT"
COPY --from=build /opt/mockpets /opt/mockpets
# /scenarios and /fixtures: mount your own there. /state: a volume for MOCKPETS_STATE, which any user
# of group 0 can write. /mockpets: a mockpets.toml mounted there is read.
COPY --from=build /root-of-image /
ENV PATH=/opt/mockpets/bin:$PATH \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONPYCACHEPREFIX=/opt/mockpets/compiled \
    MOCKPETS_HOST=0.0.0.0 \
    MOCKPETS_LOG_FORMAT=json \
    MOCKPETS_SCENARIOS_DIR=/scenarios \
    MOCKPETS_FIXTURES_DIR=/fixtures
# 0.0.0.0 is all of IPv4, which every container has. In a network of IPv6 alone set MOCKPETS_HOST=::
WORKDIR /mockpets
USER 10001:10001
EXPOSE 7387
STOPSIGNAL SIGTERM
# Follows MOCKPETS_PORT (and MOCKPETS_PREFIX): whoever sets the port sets it by the variable.
HEALTHCHECK --interval=5s --timeout=4s --start-period=15s --retries=3 CMD ["mockpets", "health"]
ENTRYPOINT ["mockpets"]
CMD ["serve"]
